import { citationLabel, type ContextHit } from './context-hit.ts';
import { closing, opening } from './fence.ts';
import { sharedEdge } from './shared-edge.ts';

/** Hits of one document whose chunks follow each other, in the document's order. */
type Passage = readonly ContextHit[];

/** Neighbouring chunks of a document together; a passage stands where its best hit stood. */
export const passagesOf = (hits: readonly ContextHit[]): readonly Passage[] => {
  const byPlace = new Map(hits.map((hit) => [`${hit.documentId}/${hit.index}`, hit]));
  const at = ({ documentId }: ContextHit, index: number): ContextHit | undefined => byPlace.get(`${documentId}/${index}`);
  const used = new Set<ContextHit>();
  return hits.flatMap((hit) => {
    if (used.has(hit)) return [];
    let first = hit.index;
    while (at(hit, first - 1) !== undefined) first--;
    const passage: ContextHit[] = [];
    for (let next = at(hit, first); next !== undefined; next = at(hit, next.index + 1)) passage.push(next);
    // Two chunks can claim one place when versions of a document mix; the one that lost it stands alone.
    const whole = passage.includes(hit) ? passage : [hit];
    whole.forEach((member) => used.add(member));
    return [whole];
  });
};

/** Label, prefix and text of each chunk; what a chunk repeats of the one before (prefix, overlap) is said once. */
const renderPassage = (passage: Passage, fence: string): string => {
  const excerpts = passage.map((hit, position) => {
    const before = passage[position - 1];
    const prefix = before?.contextPrefix === hit.contextPrefix ? '' : hit.contextPrefix;
    const text = before === undefined ? hit.text : hit.text.slice(sharedEdge(before.text, hit.text)).trimStart();
    return [opening(fence, citationLabel(hit)), prefix, text].filter((part) => part !== '').join('\n');
  });
  return [...excerpts, closing(fence)].join('\n');
};

export const renderExcerpts = (hits: readonly ContextHit[], fence: string): string => passagesOf(hits).map((passage) => renderPassage(passage, fence)).join('\n\n');
