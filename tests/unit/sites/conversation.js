// Runs the edge's code on each line of the input. CloudFront and S3 are replaced by a stand-in in memory.

const fs = require('fs');
const vm = require('vm');
const [edge, contract] = process.argv.slice(2);
const read = (name) => fs.readFileSync(`${edge}/${name}`, 'utf8');

function load(names, globals, exported) {
  const code = names.concat('rules.js').map(read).join('\n');
  const context = vm.createContext({ Buffer, module: {}, ...globals });
  vm.runInContext(`${code}\nthis.exported = ${exported};`, context);
  return context.exported;
}

const CONTRACT = JSON.parse(fs.readFileSync(contract, 'utf8'));
const rules = vm.createContext({ CONTRACT });
vm.runInContext(`${read('rules.js')}\nthis.exported = { siteOf, keysOf, movedPreview, pathOfKey, requestedPage };`, rules);
const { siteOf, keysOf, movedPreview, pathOfKey, requestedPage } = rules.exported;

function address({ label, path }) {
  const site = siteOf(label);
  if (site === null || path === undefined) {
    return { site: site && site.prefix };
  }
  const keys = keysOf(site, path);
  const moved = movedPreview(site, path);
  return {
    site: site.prefix,
    file: keys.file,
    notFound: keys.notFound,
    paths: keys.file.map(pathOfKey),
    moved: moved && [moved.label, moved.path],
    askedAgain: keys.file.map((key) => {
      const asked = requestedPage(pathOfKey(key));
      return [asked.site.prefix, ...keysOf(asked.site, asked.path).file];
    }),
  };
}

async function viewer({ event, remembered, code, query }) {
  const exists = async (key) => {
    if (remembered.broken) throw new Error('InternalError');
    return key in remembered;
  };
  const get = async (key) => {
    if (!(await exists(key))) throw new Error('KeyNotFound');
    return remembered[key];
  };
  event.request.rawQueryString = () => query;
  const context = vm.createContext({ Buffer, cf: { kvs: () => ({ exists, get }) }, crypto: require('crypto') });
  vm.runInContext(`${code.replace(/^import .*$/gm, '')}\nthis.exported = handler;`, context);
  return context.exported(event);
}

function besideTheBucket(name, stored, process) {
  class Command {
    constructor(input) { this.input = input; }
  }
  class GetObjectCommand extends Command {}
  class HeadObjectCommand extends Command {}
  class S3Client {
    async send(command) {
      const { input } = command;
      const file = stored[`${input.Bucket}/${input.Key}`];
      const silent = command instanceof HeadObjectCommand; // its answers have no body that could say why
      const denied = silent ? { name: 'UnknownError', $metadata: { httpStatusCode: 403 } } : { name: 'AccessDenied' };
      if (file === undefined) throw Object.assign(new Error(), denied);
      const bytes = Buffer.from(file);
      return { ContentLength: bytes.length, ContentType: 'text/html', Body: { transformToByteArray: async () => bytes } };
    }
  }
  const modules = { './contract.json': CONTRACT, '@aws-sdk/client-s3': { S3Client, GetObjectCommand, HeadObjectCommand } };
  return load(['stored_pages.js', name], { require: (module) => modules[module], process }, 'module.exports.handler');
}

async function origin({ event, stored }) {
  return besideTheBucket('origin_response.js', stored)(event);
}

async function target({ event, stored, bucket }) {
  return besideTheBucket('load_balancer_target.js', stored, { env: { AWS_REGION: 'eu-west-1', BUCKET: bucket } })(event);
}

async function main() {
  const asked = { address, viewer, origin, target };
  const answers = [];
  for (const line of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
    const { kind, ...rest } = JSON.parse(line);
    answers.push(JSON.stringify(await asked[kind](rest)));
  }
  process.stdout.write(answers.join('\n') + '\n');
}

main();
