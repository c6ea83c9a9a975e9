import { alphaNdcg } from './alpha-ndcg.ts';
import type { Judgements, Ranking, Subtopics } from './judgements.ts';
import { averagePrecision, judged, ndcg, precision, recall, reciprocalRank, success } from './measures.ts';

/** A relevance measure under the name that ir_measures gives it. */
export type Measure = Readonly<{
  name: string;
  /** Whether it compares subtopics: without them, it sees a query as one subtopic. */
  usesSubtopics: boolean;
  of: (ranking: Ranking, judgements: Judgements, subtopics?: Subtopics) => number;
}>;

const MEASURES = {
  ...{ nDCG: ndcg, R: recall, P: precision, RR: reciprocalRank, Success: success, AP: averagePrecision, Judged: judged },
  alpha_nDCG: alphaNdcg,
};

/** Those that have a meaning without a depth: the whole ranking counts. */
const WITHOUT_DEPTH: readonly string[] = ['nDCG', 'RR', 'AP', 'Judged'];

/**
 * The measure with this name: `nDCG@10`, `R@100`, `P@5`, `RR@10`, `Success@10`, `AP`, `Judged@10`, `alpha_nDCG@10`.
 * @throws RangeError for an unknown name
 */
export const measureNamed = (name: string): Measure => {
  const [, family = '', digits] = /^([A-Za-z_]+)(?:@([1-9]\d{0,5}))?$/.exec(name) ?? [];
  const isKnown = Object.hasOwn(MEASURES, family) && (digits !== undefined || WITHOUT_DEPTH.includes(family));
  if (!isKnown) {
    const known = Object.keys(MEASURES).map((each) => (WITHOUT_DEPTH.includes(each) ? `${each}, ${each}@k` : `${each}@k`));
    throw new RangeError(`measure "${name}": expected one of ${known.join(', ')}, with k from 1 to 999999`);
  }
  const measure: typeof alphaNdcg = MEASURES[family as keyof typeof MEASURES];
  const depth = digits === undefined ? Number.POSITIVE_INFINITY : Number(digits);
  const of: Measure['of'] = (ranking, judgements, subtopics) => measure(ranking, judgements, depth, subtopics);
  return { name, usesSubtopics: measure === alphaNdcg, of };
};
