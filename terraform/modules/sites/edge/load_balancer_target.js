// A target of the load balancer, packaged between stored_pages.js and rules.js: serves previews that no worker serves. For
// a file in the bucket it returns 503, so that CloudFront fails over to the bucket, which has no size limit. Otherwise it
// finds a fallback, like origin_response.js without a load balancer. CloudFront does not run Lambda@Edge functions for VPC
// origins (AmazonCloudFront, "Restrict access with VPC origins").

const FAIL_OVER = { statusCode: 503, statusDescription: '503 Service Unavailable', headers: {}, body: '' };

async function handler(event) {
  const requested = requestedPage(event.path);
  const key = decoded(event.path);
  const bucket = bucketIn(process.env.AWS_REGION, process.env.BUCKET);
  if (requested === null || key === null || (await exists(bucket, key))) {
    return FAIL_OVER;
  }
  const page = await findFallback(bucket, requested);
  return {
    statusCode: page.status,
    statusDescription: page.status === 200 ? '200 OK' : '404 Not Found',
    headers: { 'Content-Type': page.kind, 'Cache-Control': page.kept },
    body: page.body.toString('base64'),
    isBase64Encoded: true,
  };
}

module.exports = { handler };
