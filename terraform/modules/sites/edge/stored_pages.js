// For those who look further than the first key of an address, before their own code: what the bucket has of it.

const { S3Client, GetObjectCommand, HeadObjectCommand } = require('@aws-sdk/client-s3');

const CONTRACT = require('./contract.json');
const MAX_BODY_BYTES = 700000; // of 1 MB that an answer may have at the edge or through a load balancer, encoded
const clients = {};

function bucketIn(region, name) {
  clients[region] = clients[region] || new S3Client({ region: region });
  return { name: name, client: clients[region] };
}

async function nullIfMissing(answer) {
  try {
    return await answer;
  } catch (error) {
    // S3 says "denied" of what is missing to those who may not list; where it answers without words, by the status alone.
    if (['NoSuchKey', 'AccessDenied'].includes(error.name) || [403, 404].includes((error.$metadata || {}).httpStatusCode)) {
      return null;
    }
    throw error;
  }
}

async function exists(bucket, key) {
  return (await nullIfMissing(bucket.client.send(new HeadObjectCommand({ Bucket: bucket.name, Key: key })))) !== null;
}

async function firstOf(bucket, keys) {
  for (const key of keys) {
    const found = await nullIfMissing(bucket.client.send(new GetObjectCommand({ Bucket: bucket.name, Key: key })));
    if (found !== null && found.ContentLength <= MAX_BODY_BYTES) {
      return found;
    }
  }
  return null;
}

// The other files that an address can mean, then the site's own 404 page.
async function findFallback(bucket, asked) {
  const keys = keysOf(asked.site, asked.path);
  const other = await firstOf(bucket, keys.file.slice(1));
  const found = other || (await firstOf(bucket, keys.notFound));
  return {
    status: other ? 200 : 404,
    kind: found ? found.ContentType : 'text/plain; charset=utf-8',
    kept: other && other.CacheControl ? other.CacheControl : 'no-cache',
    body: found ? Buffer.from(await found.Body.transformToByteArray()) : Buffer.from('Not found\n'),
  };
}
