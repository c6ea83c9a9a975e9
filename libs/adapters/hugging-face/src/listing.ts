import { Conflict, Corrupt, InvalidValue } from '@palimpsest/knowledge/errors';
import { z } from 'zod';
import type { ExpectedFile } from './file-digest.ts';
import { networkError, type Hub } from './hub.ts';
import type { ModelRepository } from './model-repository.ts';
import { refusalOf } from './refusal.ts';
import { safePath } from './safe-path.ts';

/** The files of one commit of a repository, and what its card says. */
export type Listing = Readonly<{
  repository: string;
  commit: string;
  files: ReadonlyMap<string, ExpectedFile>;
  license?: string;
  languages?: readonly string[];
}>;

const MAX_BYTES = 16 << 20;
const MAX_FILES = 10_000;

const text = z.string().max(200).optional().catch(undefined);
const texts = z
  .union([
    z
      .string()
      .max(200)
      .transform((one) => [one]),
    z.array(z.string().max(200)).max(1_000),
  ])
  .optional()
  .catch(undefined);
const size = z.number().int().nonnegative();
const modelInfo = z.object({
  sha: z.string().regex(/^[0-9a-f]{40}$/),
  siblings: z
    .array(
      z.object({
        rfilename: z.string(),
        size: size.nullish(),
        blobId: z
          .string()
          .regex(/^[0-9a-f]{40}$/)
          .nullish(),
        lfs: z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/), size }).nullish(),
      }),
    )
    .max(MAX_FILES),
  cardData: z.object({ license: text, language: texts }).nullish().catch(undefined),
});

/**
 * Reads the list of files of a revision, and the commit that it stands for.
 * @throws NotFound, Forbidden, Corrupt, Conflict or Unavailable
 */
export const readListing = async (hub: Hub, { id, revision }: ModelRepository, signal: AbortSignal | undefined): Promise<Listing> => {
  const { response, idle } = await hub.get(`api/models/${id}/revision/${encodeURIComponent(revision)}?blobs=true`, { signal });
  try {
    if (!response.ok) throw refusalOf(response, id, revision);
    return listingOf(id, revision, await jsonOf(response, idle.signal, idle.touch));
  } finally {
    idle.stop();
    await response.body?.cancel().catch(() => undefined);
  }
};

const listingOf = (id: string, revision: string, raw: unknown): Listing => {
  const parsed = modelInfo.safeParse(raw);
  if (!parsed.success) {
    const { path = [], message = '' } = parsed.error.issues[0] ?? {};
    throw new InvalidValue(`the hub's description of ${id}`, `a list of files and a commit (${path.join('.')}: ${message})`, undefined);
  }
  const { sha: commit, siblings, cardData } = parsed.data;
  if (/^[0-9a-f]{40}$/.test(revision) && revision !== commit)
    throw new Corrupt(`${id}: the hub returned commit ${commit} instead of ${revision}`);
  if (siblings.length === 0) throw new Conflict(`${id}@${commit} has no files`);
  const { license, language: languages } = cardData ?? {};
  return {
    repository: id,
    commit,
    files: new Map(siblings.map((sibling) => [safePath(sibling.rfilename), expectedOf(sibling)])),
    ...(license === undefined || !/^[\w.+ -]{1,60}$/.test(license) ? {} : { license }),
    ...(languages === undefined ? {} : { languages }),
  };
};

const expectedOf = ({ rfilename: path, size, blobId, lfs }: z.infer<typeof modelInfo>['siblings'][number]): ExpectedFile => {
  if (lfs != null) return { path, size: lfs.size, digest: { kind: 'sha256', value: lfs.sha256 } };
  return {
    path,
    ...(size == null ? {} : { size }),
    ...(blobId == null ? {} : { digest: { kind: 'git', value: blobId } }),
  };
};

const jsonOf = async (response: Response, signal: AbortSignal, touch: () => void): Promise<unknown> => {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of response.body ?? []) {
      touch();
      bytes += part.length;
      if (bytes > MAX_BYTES) throw new Conflict(`the list of files is larger than ${MAX_BYTES >> 20} MiB`);
      parts.push(part);
    }
  } catch (error) {
    throw error instanceof Conflict ? error : networkError(new URL(response.url), error, signal);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    throw new InvalidValue('the response of the hub', 'JSON', undefined);
  }
};
