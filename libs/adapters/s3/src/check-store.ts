import { randomUUID } from 'node:crypto';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { sha256Of } from './digest.ts';
import { TryAgain, withRetries } from './retries.ts';
import { failureOf, type S3Failure } from './s3-failure.ts';
import type { S3Objects } from './s3-objects.ts';
import type { S3Settings } from './s3-options.ts';

/** Concurrent writers of one name: some stores refuse a second writer only after the first one has finished. */
const WRITERS = 8;

/**
 * Checks whether the store is safe for blobs. Some stores ignore headers that they do not know. A lost race would then
 * replace a scope's key by another one, and make everything unreadable that the first one sealed.
 * @throws InvalidValue naming the setting that is wrong
 * @throws Unavailable
 */
export const checkStore = async (objects: S3Objects, settings: S3Settings, ended: AbortSignal): Promise<void> => {
  const retried = <Result>(attempt: () => Promise<Result>): Promise<Result> =>
    withRetries(() => attempt().catch((error) => refuseSetting(error, settings)), {
      what: `use bucket "${settings.bucket}"`,
      forMs: settings.retryForMs,
      ended,
    });
  await retried(() => objects.list(settings.prefix, undefined, 1));
  if (!settings.acceptVersioning) await refuseVersions(objects, settings);
  // No blob's name has this ending, so a listing does not show the probe if its removal fails.
  const probes = new Probes(objects, `${settings.prefix}~probe-${randomUUID()}`);
  try {
    await retried(() => refuseUnchecked(probes));
    await retried(() => refuseUnconditional(probes));
  } finally {
    await probes.remove();
  }
};

/** Objects that are written to check the behaviour of the store. Each try has its own name: requests of an earlier one may still arrive. */
class Probes {
  readonly #objects: S3Objects;
  readonly #beginning: string;
  readonly #names: string[] = [];

  constructor(objects: S3Objects, beginning: string) {
    this.#objects = objects;
    this.#beginning = beginning;
  }

  newName(): string {
    const name = `${this.#beginning}-${this.#names.length}`;
    this.#names.push(name);
    return name;
  }

  /** The status of the store's answer, 0 if it accepted the write. */
  async write(name: string, text: string, how: Readonly<{ ifAbsent: boolean; sha256?: Buffer }>): Promise<number> {
    const bytes = Buffer.from(text);
    return statusOf(this.#objects.put({ name, bytes, sha256: how.sha256 ?? (await sha256Of(bytes)), writer: '', ifAbsent: how.ifAbsent }));
  }

  async remove(): Promise<void> {
    await Promise.allSettled(this.#names.map((name) => this.#objects.delete(name)));
  }
}

const refuseUnchecked = async (probes: Probes): Promise<void> => {
  const refused = await probes.write(probes.newName(), 'probe', { ifAbsent: false, sha256: await sha256Of(Buffer.from('other')) });
  if (refused === 0) throw new InvalidValue('endpoint', 'a store that refuses bytes with a wrong SHA-256', 'a store that accepted them');
};

const refuseUnconditional = async (probes: Probes): Promise<void> => {
  const name = probes.newName();
  const attempts = Array.from({ length: WRITERS }, (_, i) => probes.write(name, `probe ${i}`, { ifAbsent: true }));
  const race = await Promise.all(attempts);
  const late = await probes.write(name, 'late', { ifAbsent: true });
  const winners = race.filter((status) => status === 0).length;
  if (winners === 1 && late === 412) return;
  // 409, "another write is in progress", decides nothing.
  if (winners + (late === 0 ? 1 : 0) <= 1 && [...race, late].includes(409)) throw new TryAgain('only conflicts');
  const expected = 'a store that lets exactly one of several writers with "If-None-Match: *" win';
  throw new InvalidValue(
    'endpoint',
    expected,
    `${winners} winners of ${WRITERS}, then ${late === 0 ? 'one more' : `a refusal with ${late}`}`,
  );
};

/** The status with which the request was refused, 0 if it was not refused. @throws an error that says nothing about the store */
const statusOf = (request: Promise<unknown>): Promise<number> =>
  request.then(
    () => 0,
    (error: unknown) => {
      const { status } = failureOf(error);
      if ([400, 409, 412, 501].includes(status)) return status;
      throw error;
    },
  );

/** A caller without permission to read the versioning is accepted: that permission is rarely granted. */
const refuseVersions = async (objects: S3Objects, { bucket }: S3Settings): Promise<void> => {
  if (!(await objects.keepsVersions().catch(() => false))) return;
  throw new InvalidValue('bucket', 'a bucket without versioning (or set acceptVersioning): destroyed keys would stay readable', bucket);
};

/** Turns the error of a wrong setting into an InvalidValue with its name; rethrows all others. Secrets are not quoted. */
const refuseSetting = (error: unknown, { bucket, region, credentials, endpoint }: S3Settings): never => {
  const failure = failureOf(error);
  const { code, status } = failure;
  if (code === 'NoSuchBucket') throw new InvalidValue('bucket', 'a bucket that exists', bucket);
  if (code === 'InvalidBucketName') throw new InvalidValue('bucket', 'a valid bucket name', bucket);
  if (isUnknownKey(failure)) throw new InvalidValue('accessKeyId', 'an access key that exists in the store', credentials?.accessKeyId);
  if (code === 'SignatureDoesNotMatch')
    throw new InvalidValue('secretAccessKey', 'the secret that belongs to accessKeyId', 'another secret');
  if (code === 'ExpiredToken' || code === 'InvalidToken') throw new InvalidValue('sessionToken', 'a token that is still valid', code);
  if (status === 301 || status === 307 || code === 'AuthorizationHeaderMalformed' || code === 'PermanentRedirect')
    throw new InvalidValue('region', `the region of bucket "${bucket}"`, region);
  if (status === 403) throw new InvalidValue('bucket', 'a bucket in which these credentials may list, read, write and delete', bucket);
  if (status === 404 || status === 405) throw new InvalidValue('endpoint', 'the address of an S3-compatible store', endpoint);
  throw error;
};

/** The second one is versitygw's code, with status 404. */
const UNKNOWN_KEY = /^(InvalidAccessKeyId|XAdminUserNotFound|CredentialsProviderError|TokenProviderError|ProviderError)$/;
const isUnknownKey = ({ code }: S3Failure): boolean => UNKNOWN_KEY.test(code);
