import { randomUUID } from 'node:crypto';
import { InvalidValue } from '@palimpsest/knowledge';
import { sha256Of } from './digest.ts';
import { TryAgain, withRetries } from './retries.ts';
import { failureOf, type S3Failure } from './s3-failure.ts';
import type { S3Objects } from './s3-objects.ts';
import type { S3Settings } from './s3-options.ts';

/** Writers of one name at the same time: some stores refuse a second writer, but not one that comes while the first is writing. */
const WRITERS = 8;

/**
 * Looks whether this is a store that blobs can be trusted to, since some take headers that they do not know and do as if there
 * were none: a lost race would then replace a scope's key by another, and with it all that the first one sealed.
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
  // No blob's name ends so: a listing does not show it, should its removal fail.
  const probes = new Probes(objects, `${settings.prefix}~probe-${randomUUID()}`);
  try {
    await retried(() => refuseUnchecked(probes));
    await retried(() => refuseUnconditional(probes));
  } finally {
    await probes.remove();
  }
};

/** Objects that are written to see what the store answers. Each try has a name of its own: what an earlier one sent may still arrive. */
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

  /** The status of the store's answer, 0 when it wrote. */
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
  if (refused === 0)
    throw new InvalidValue('endpoint', 'a store that refuses bytes whose SHA-256 is not the one sent along', 'one that took them');
};

const refuseUnconditional = async (probes: Probes): Promise<void> => {
  const name = probes.newName();
  const attempts = Array.from({ length: WRITERS }, (_, i) => probes.write(name, `probe ${i}`, { ifAbsent: true }));
  const race = await Promise.all(attempts);
  const late = await probes.write(name, 'late', { ifAbsent: true });
  const winners = race.filter((status) => status === 0).length;
  if (winners === 1 && late === 412) return;
  // "Another write is under way" decides nothing.
  if (winners + (late === 0 ? 1 : 0) <= 1 && [...race, late].includes(409)) throw new TryAgain('nothing but conflicts');
  const expected = 'a store that lets exactly one of several writers with "If-None-Match: *" win';
  throw new InvalidValue('endpoint', expected, `${winners} of ${WRITERS}, and then ${late === 0 ? 'one more' : `a refusal with ${late}`}`);
};

/** The status of a request that was refused for what it says, 0 when it was not refused. @throws what tells nothing about the store */
const statusOf = (request: Promise<unknown>): Promise<number> =>
  request.then(
    () => 0,
    (error: unknown) => {
      const { status } = failureOf(error);
      if ([400, 409, 412, 501].includes(status)) return status;
      throw error;
    },
  );

/** Whoever may not ask is not refused: the permission is seldom given. */
const refuseVersions = async (objects: S3Objects, { bucket }: S3Settings): Promise<void> => {
  if (!(await objects.keepsVersions().catch(() => false))) return;
  throw new InvalidValue('bucket', 'one without versions (or acceptVersioning): keys that were destroyed would stay readable', bucket);
};

/** A wrong setting is told by name; everything else fails on. Secrets are not repeated. */
const refuseSetting = (error: unknown, { bucket, region, credentials, endpoint }: S3Settings): never => {
  const failure = failureOf(error);
  const { code, status } = failure;
  if (code === 'NoSuchBucket') throw new InvalidValue('bucket', 'a bucket that exists', bucket);
  if (code === 'InvalidBucketName') throw new InvalidValue('bucket', 'a name that a bucket can have', bucket);
  if (isUnknownKey(failure)) throw new InvalidValue('accessKeyId', 'a key that the store knows', credentials?.accessKeyId);
  if (code === 'SignatureDoesNotMatch') throw new InvalidValue('secretAccessKey', 'the secret that belongs to accessKeyId', 'another');
  if (code === 'ExpiredToken' || code === 'InvalidToken') throw new InvalidValue('sessionToken', 'one that is still valid', code);
  if (status === 301 || status === 307 || code === 'AuthorizationHeaderMalformed' || code === 'PermanentRedirect')
    throw new InvalidValue('region', `the region of bucket "${bucket}"`, region);
  if (status === 403) throw new InvalidValue('bucket', 'one that these credentials may list, read, write and delete in', bucket);
  if (status === 404 || status === 405) throw new InvalidValue('endpoint', 'the address of an S3-compatible store', endpoint);
  throw error;
};

/** The second one is versitygw's word for it, with status 404. */
const UNKNOWN_KEY = /^(InvalidAccessKeyId|XAdminUserNotFound|CredentialsProviderError|TokenProviderError|ProviderError)$/;
const isUnknownKey = ({ code }: S3Failure): boolean => UNKNOWN_KEY.test(code);
