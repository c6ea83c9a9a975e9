import {
  DeleteObjectCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { readBody } from './read-body.ts';
import { TryAgain } from './retries.ts';
import type { S3Settings } from './s3-options.ts';
import { Slots } from './slots.ts';

/** Metadata of every object: the digest of its bytes, and the call that wrote them. */
const SHA256 = 'palimpsest-sha256';
const WRITER = 'palimpsest-writer';

/** The slowest connection for which the timeout of a write is sufficient: 500 kB/s. */
const SLOWEST_BYTES_PER_MS = 500;

export type NewObject = Readonly<{ name: string; bytes: Uint8Array; sha256: Buffer; writer: string; ifAbsent: boolean }>;
export type FoundObject = Readonly<{
  bytes: Uint8Array;
  /** Hexadecimal; undefined if another program wrote it. */ sha256: string | undefined;
}>;
export type Listed = Readonly<{ names: readonly string[]; next: string | undefined }>;

/** Single requests, each with a timeout. Errors are the SDK's own; `failureOf` classifies them. */
export class S3Objects {
  readonly #client: S3Client;
  readonly #settings: S3Settings;
  readonly #slots: Slots;

  constructor(client: S3Client, settings: S3Settings) {
    this.#client = client;
    this.#settings = settings;
    this.#slots = new Slots(settings.maxSockets);
  }

  /** @throws TryAgain when the store reports other bytes than those sent */
  async put({ name, bytes, sha256, writer, ifAbsent }: NewObject): Promise<void> {
    const checksum = sha256.toString('base64');
    const command = new PutObjectCommand({
      Bucket: this.#settings.bucket,
      Key: name,
      Body: bytes,
      ContentLength: bytes.length,
      ContentType: 'application/octet-stream',
      ChecksumSHA256: checksum,
      Metadata: { [SHA256]: sha256.toString('hex'), [WRITER]: writer },
      ...(ifAbsent ? { IfNoneMatch: '*' } : {}),
    });
    signWith(command, sha256.toString('hex'));
    const answer = await this.#run(bytes.length / SLOWEST_BYTES_PER_MS, (abortSignal) => this.#client.send(command, { abortSignal }));
    // Not every store returns the checksum. Opening has checked that it refuses a wrong one.
    if ((answer.ChecksumSHA256 ?? checksum) !== checksum) throw new TryAgain('the store reported other bytes than those sent');
  }

  async get(name: string): Promise<FoundObject> {
    const { bucket, timeoutMs, maxBlobBytes } = this.#settings;
    return this.#slots.run(async () => {
      const command = new GetObjectCommand({ Bucket: bucket, Key: name });
      const answer = await withTimeout(timeoutMs, (abortSignal) => this.#client.send(command, { abortSignal }));
      const length = answer.ContentLength ?? 0;
      if (length > maxBlobBytes) {
        if (answer.Body !== undefined && 'destroy' in answer.Body) answer.Body.destroy();
        throw new InvalidValue('maxBlobBytes', `at least ${length} to read ${name}`, maxBlobBytes);
      }
      return { bytes: await readBody(answer.Body, length, timeoutMs), sha256: answer.Metadata?.[SHA256] };
    });
  }

  /** The token of the call that wrote it; '' if another program did. */
  async writerOf(name: string): Promise<string> {
    const command = new HeadObjectCommand({ Bucket: this.#settings.bucket, Key: name });
    const answer = await this.#run(0, (abortSignal) => this.#client.send(command, { abortSignal }));
    return answer.Metadata?.[WRITER] ?? '';
  }

  async delete(name: string): Promise<void> {
    const command = new DeleteObjectCommand({ Bucket: this.#settings.bucket, Key: name });
    await this.#run(0, (abortSignal) => this.#client.send(command, { abortSignal }));
  }

  /** One page of the names with this prefix, starting at `next` of the page before. */
  async list(beginning: string, from: string | undefined, max = 1_000): Promise<Listed> {
    const position = from === undefined ? {} : { ContinuationToken: from };
    const command = new ListObjectsV2Command({ Bucket: this.#settings.bucket, Prefix: beginning, MaxKeys: max, ...position });
    const answer = await this.#run(0, (abortSignal) => this.#client.send(command, { abortSignal }));
    const names = (answer.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
    return { names, next: answer.IsTruncated === true ? answer.NextContinuationToken : undefined };
  }

  async keepsVersions(): Promise<boolean> {
    const command = new GetBucketVersioningCommand({ Bucket: this.#settings.bucket });
    const answer = await this.#run(0, (abortSignal) => this.#client.send(command, { abortSignal }));
    return answer.Status === 'Enabled';
  }

  #run<Result>(extraMs: number, send: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    return this.#slots.run(() => withTimeout(this.#settings.timeoutMs + extraMs, send));
  }
}

/** Does not wait until the SDK notices the signal: it may be waiting for credentials. */
const withTimeout = async <Result>(ms: number, send: (signal: AbortSignal) => Promise<Result>): Promise<Result> => {
  const controller = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    controller.abort();
    reject(new TryAgain(`no answer within ${Math.round(ms)} ms`));
  }, ms);
  try {
    return await Promise.race([send(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
};

/** The signature needs the SHA-256 of the body. It is already known; the SDK would compute it again, on this thread. */
const signWith = (command: PutObjectCommand, sha256: string): void =>
  command.middlewareStack.add(
    (next) => (args) => {
      (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = sha256;
      return next(args);
    },
    { step: 'build', name: 'palimpsestBodyDigest' },
  );
