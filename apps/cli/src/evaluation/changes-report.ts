import { row, table } from '../render/html.ts';
import { escaped } from '../render/markup.ts';
import type { ChangedQuery } from './compare-runs.ts';
import type { DocumentExplanation } from './explanations.ts';
import type { DocumentChange, Place } from './query-changes.ts';
import { stageChanges } from './stage-changes.ts';

type Side = 'before' | 'after';

/** The judged documents of a query whose rank differs, with the explanations of both sides, as markup. */
export const changesMarkup = ({ query, text = '', documents, moreDocuments }: ChangedQuery): string => {
  if (documents.length === 0) return '';
  const isExplained = documents.some(({ before, after }) => before?.explain !== undefined || after?.explain !== undefined);
  return (
    `<h4><bdi>${escaped(query)}</bdi>${text === '' ? '' : `: <bdi>${escaped(text)}</bdi>`}</h4>` +
    table(
      ['document', 'grade', 'rank before', 'rank after', ...(isExplained ? ['why before', 'why after'] : [])],
      documents.map((change) =>
        row(
          `<bdi>${escaped(change.document)}</bdi>`,
          escaped(change.grade),
          ...[change.before, change.after].map((place) => escaped(place?.rank ?? 'not found')),
          ...(isExplained ? [why(change, 'before'), why(change, 'after')] : []),
        ),
      ),
    ) +
    (moreDocuments === 0 ? '' : `<p class="quiet">and ${moreDocuments} more judged documents</p>`)
  );
};

/** Stages whose rank is not that of the other side are emphasised. */
const why = (change: DocumentChange, side: Side): string => {
  const [place, other] = side === 'before' ? [change.before, change.after] : [change.after, change.before];
  if (place?.explain === undefined) return `<span class="quiet">${place === undefined ? 'not found' : 'not explained'}</span>`;
  const { explain } = place;
  const stages = stageChanges(change).flatMap(({ stage, ...sides }) => {
    const here = sides[side];
    if (here === undefined) return [];
    const name = `${stage}: rank ${here.rank}`;
    const isOther = sides.before?.rank !== sides.after?.rank;
    const details = [
      shortNumber(here.score),
      ...(here.note === undefined ? [] : [here.note]),
      ...(stage === 'lexical' ? termsOf(explain) : []),
    ];
    return [`${isOther ? `<b>${escaped(name)}</b>` : escaped(name)} <span class="quiet">${escaped(details.join('; '))}</span>`];
  });
  return list([...stages, ...sumOf(explain).map(quiet), ...skippedIn(explain).map(quiet), ...generationOf(place, other).map(quiet)]);
};

const list = (items: readonly string[]): string => `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
const quiet = (text: string): string => `<span class="quiet">${escaped(text)}</span>`;
const shortNumber = (value: number): string => String(Number(value.toPrecision(5)));

const termsOf = ({ lexical }: DocumentExplanation): readonly string[] =>
  lexical === undefined || lexical.terms.length === 0 ? [] : [`words ${lexical.terms.join(', ')}`];

/** How fusion added up the score, with its weights. */
const sumOf = ({ fusion: { label, value, parts = [] } }: DocumentExplanation): readonly string[] =>
  parts.length === 0 ? [] : [`${label} ${shortNumber(value)}: ${parts.map((part) => part.label).join(' and ')}`];

const skippedIn = ({ skipped = {} }: DocumentExplanation): readonly string[] =>
  Object.entries(skipped).map(([stage, reason]) => `${stage} was skipped: ${reason}`);

/** Only if it is another one than on the other side. */
const generationOf = ({ explain }: Place, other: Place | undefined): readonly string[] => {
  const { generation, embeddingVersion } = explain?.generation ?? {};
  const there = other?.explain?.generation;
  const isSame = there === undefined || (there.generation === generation && there.embeddingVersion === embeddingVersion);
  return isSame ? [] : [`generation ${generation}, model ${embeddingVersion}`];
};
