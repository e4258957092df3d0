// A function behind the load balancer of live previews, between stored_pages.js and rules.js: answers for what no worker
// shows. Of a file that the bucket has it says 503, and CloudFront asks the bucket, which knows no limit of size; else it
// looks further, as origin_response.js does where there is no load balancer. No Lambda@Edge function can do that here:
// they are not run for origins in a network of one's own (AmazonCloudFront, "Restrict access with VPC origins").

const FAIL_OVER = { statusCode: 503, statusDescription: '503 Service Unavailable', headers: {}, body: '' };

async function handler(event) {
  const asked = requestedPage(event.path);
  const key = decoded(event.path);
  const bucket = bucketIn(process.env.AWS_REGION, process.env.BUCKET);
  if (asked === null || key === null || (await exists(bucket, key))) {
    return FAIL_OVER;
  }
  const page = await findFallback(bucket, asked);
  return {
    statusCode: page.status,
    statusDescription: page.status === 200 ? '200 OK' : '404 Not Found',
    headers: { 'Content-Type': page.kind, 'Cache-Control': page.kept },
    body: page.body.toString('base64'),
    isBase64Encoded: true,
  };
}

module.exports = { handler };
