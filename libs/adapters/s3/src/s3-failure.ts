/** What the adapter needs to know about a failed request. */
export type S3Failure = Readonly<{
  /** The store's code, such as `NoSuchKey`, or that of the network, such as `ECONNREFUSED`. */
  code: string;
  /** 0 when there was no answer. */
  status: number;
  /** The same request may succeed later. */
  again: boolean;
  /** The request may have been applied: the answer was lost, or came from an intermediary. */
  perhapsDone: boolean;
  /** The store asks for fewer requests. */
  tooMany: boolean;
}>;

/** Refusals that mean "not now", or that the request arrived damaged: a retry sends it again completely. */
const AGAIN = new Set([
  'RequestTimeout',
  'BadDigest',
  'XAmzContentSHA256Mismatch',
  'XAmzContentChecksumMismatch',
  'IncompleteBody',
  'OperationAborted',
  'ConditionalRequestConflict',
]);
const TOO_MANY = new Set(['SlowDown', 'Throttling', 'ThrottlingException', 'TooManyRequestsException', 'RequestLimitExceeded']);
/** The request was not sent: there are no credentials to sign it with. */
const NEVER_SENT = /^(CredentialsProviderError|TokenProviderError|ProviderError)$/;

export const failureOf = (error: unknown): S3Failure => {
  const status = statusOf(error);
  const code = codeOf(error);
  if (NEVER_SENT.test(code)) return { code, status, again: false, perhapsDone: false, tooMany: false };
  const tooMany = status === 429 || status === 503 || TOO_MANY.has(code);
  // 501: the store does not support this kind of request. 409: another write to the same name is in progress.
  const serverFault = status === 0 || (status >= 500 && status !== 501);
  return {
    code,
    status,
    again: serverFault || tooMany || status === 408 || status === 409 || AGAIN.has(code),
    perhapsDone: serverFault,
    tooMany,
  };
};

/** For messages: "SlowDown, 503". */
export const describeFailure = ({ code, status }: S3Failure): string => (status === 0 ? code : `${code}, ${status}`);

type SdkError = Readonly<{
  name?: unknown;
  code?: unknown;
  Code?: unknown;
  $metadata?: Readonly<{ httpStatusCode?: unknown }>;
  $response?: Readonly<{ statusCode?: unknown }>;
}>;

const asSdkError = (error: unknown): SdkError => (typeof error === 'object' && error !== null ? error : {});

const statusOf = (error: unknown): number => {
  const { $metadata, $response } = asSdkError(error);
  const status = $response?.statusCode ?? $metadata?.httpStatusCode;
  return typeof status === 'number' ? status : 0;
};

const codeOf = (error: unknown): string => {
  const { name, code, Code } = asSdkError(error);
  const word = [Code, code, name].find((candidate) => typeof candidate === 'string' && candidate !== '' && candidate !== 'Error');
  return typeof word === 'string' ? word : 'UnknownError';
};
