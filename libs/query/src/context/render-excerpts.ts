import { citationLabel, type ContextHit } from './context-hit.ts';
import { closing, opening } from './fence.ts';
import { sharedEdge } from './shared-edge.ts';

/** Hits on consecutive chunks of one document, in document order. */
type Passage = readonly ContextHit[];

/** Joins neighbouring chunks of a document. A passage takes the rank of its best hit. */
const passagesOf = (hits: readonly ContextHit[]): readonly Passage[] => {
  const byIndex = new Map(hits.map((hit) => [`${hit.documentId}/${hit.index}`, hit]));
  const at = ({ documentId }: ContextHit, index: number): ContextHit | undefined => byIndex.get(`${documentId}/${index}`);
  const used = new Set<ContextHit>();
  return hits.flatMap((hit) => {
    if (used.has(hit)) return [];
    let first = hit.index;
    while (at(hit, first - 1) !== undefined) first--;
    const passage: ContextHit[] = [];
    for (let next = at(hit, first); next !== undefined; next = at(hit, next.index + 1)) passage.push(next);
    // Two chunks can have the same index when versions of a document mix. The one that the map does not hold becomes a passage of its own.
    const whole = passage.includes(hit) ? passage : [hit];
    whole.forEach((member) => used.add(member));
    return [whole];
  });
};

/** Label, prefix and text of each chunk; without the prefix and overlap that the previous chunk already has. */
const renderPassage = (passage: Passage, fence: string): string => {
  const excerpts = passage.map((hit, position) => {
    const before = passage[position - 1];
    const prefix = before?.contextPrefix === hit.contextPrefix ? '' : hit.contextPrefix;
    const text = before === undefined ? hit.text : hit.text.slice(sharedEdge(before.text, hit.text)).trimStart();
    return [opening(fence, citationLabel(hit)), prefix, text].filter((part) => part !== '').join('\n');
  });
  return [...excerpts, closing(fence)].join('\n');
};

export const renderExcerpts = (hits: readonly ContextHit[], fence: string): string =>
  passagesOf(hits)
    .map((passage) => renderPassage(passage, fence))
    .join('\n\n');
