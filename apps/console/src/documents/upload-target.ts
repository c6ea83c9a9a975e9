import type { KnowledgeBaseView } from '@palimpsest/client';

type Base = Pick<KnowledgeBaseView, 'id' | 'status'>;
type Option = Readonly<{ id: string; label: string }>;

/** The knowledge base that receives uploads. `refusal` says why nothing can be uploaded to it. */
export type UploadTarget = Readonly<{ id: string; options: readonly Option[]; refusal?: string }>;

/** The server creates it with its first document. */
const DEFAULT = 'default';

/**
 * Uploads go to the selected knowledge base only. If it accepts no documents, the panel says so and uploads to no other one.
 * @param knowledgeBases undefined while they are loading
 */
export const uploadTarget = (knowledgeBases: readonly Base[] | undefined, selected: string | undefined): UploadTarget => {
  const id = selected ?? DEFAULT;
  const listed = knowledgeBases ?? [];
  const found = listed.find((base) => base.id === id);
  const options = listed
    .filter((base) => base.status === 'active' || base.id === id)
    .map((base) => ({ id: base.id, label: base.status === 'active' ? base.id : `${base.id} (${base.status})` }));
  for (const missing of new Set([id, DEFAULT]))
    if (!listed.some((base) => base.id === missing)) options.unshift({ id: missing, label: missing });
  const refusal = knowledgeBases === undefined ? 'Loading knowledge bases…' : refusalOf(id, found);
  return { id, options, ...(refusal === undefined ? {} : { refusal }) };
};

const refusalOf = (id: string, found: Base | undefined): string | undefined => {
  if (found === undefined)
    return id === DEFAULT ? undefined : `The knowledge base “${id}” does not exist, or your key has no access to it. Choose another one.`;
  if (found.status === 'paused') return `The knowledge base “${id}” is paused and accepts no documents. Resume it, or choose another one.`;
  if (found.status === 'deleting') return `The knowledge base “${id}” is being deleted and accepts no documents. Choose another one.`;
  if (found.status === 'archived') return `The knowledge base “${id}” is archived and accepts no documents. Choose another one.`;
  return undefined;
};
