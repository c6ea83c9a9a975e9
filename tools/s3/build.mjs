/** Builds the S3 test server if it is missing: minutes the first time, then nothing. `node tools/s3/build.mjs` */
import { versitygw } from './versitygw.mjs';

const started = Date.now();
await versitygw();
console.log(`versitygw is installed (${((Date.now() - started) / 1_000).toFixed(1)} s)`);
