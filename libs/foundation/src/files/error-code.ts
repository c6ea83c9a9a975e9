/** Returns the error code of a failed operation of the system ("ENOENT"), or undefined for any other error. */
export const errorCode = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** For `catch`: returns `value` when the operation failed with this code, otherwise throws the error again. */
export const ifCode =
  <Value>(code: string, value: Value) =>
  (error: unknown): Value => {
    if (errorCode(error) === code) return value;
    throw error;
  };
