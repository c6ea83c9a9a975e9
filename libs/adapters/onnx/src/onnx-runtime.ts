/**
 * The only import of onnxruntime-node (lint refuses any other). On Linux its native library sends telemetry to its vendor, keeps a device id
 * in the user's cache folder and writes debug logs to the temporary folder, unless this variable is set when a session is first created.
 *
 * The library reads the environment of the process. A worker thread has its own copy unless it is started with `SHARE_ENV`. Start threads
 * that import this file with it, or import this file in the main thread first.
 */
// eslint-disable-next-line no-restricted-syntax -- this sets a variable for a native library; no setting is read here
process.env['ORT_DISABLE_TELEMETRY'] = '1';

export const { InferenceSession, Tensor } = await import('onnxruntime-node');
