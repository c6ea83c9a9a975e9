/** Builds the S3 test server if it is not there yet: minutes the first time, nothing after. `node tools/s3/build.mjs` */
import { versitygw } from './versitygw.mjs';

const started = Date.now();
await versitygw();
console.log(`versitygw is there (${((Date.now() - started) / 1_000).toFixed(1)} s)`);
