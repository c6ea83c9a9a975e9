import type { PlannedSums } from '@palimpsest/knowledge/fleet';
import type { PlanFigures } from '@palimpsest/knowledge/plans';

type Figures = Pick<PlanFigures, 'documents' | 'chunks' | 'tokens' | 'reusable' | 'cost' | 'time' | 'bytes'>;

export type Totals = PlannedSums;

/** Sums of the figures of several scopes. A sum is missing if one of its parts is, since it would be too low. */
export const totalsOf = (all: readonly Figures[]): Totals => {
  const sum = (of: (figures: Figures) => number): number => all.reduce((total, figures) => total + of(figures), 0);
  const whole = <Name extends string>(name: Name, of: (figures: Figures) => number | undefined): Partial<Record<Name, number>> =>
    all.length > 0 && all.every((figures) => of(figures) !== undefined)
      ? ({ [name]: sum((figures) => of(figures) ?? 0) } as Record<Name, number>)
      : {};
  return {
    scopes: all.length,
    documents: sum(({ documents }) => documents),
    chunks: sum(({ chunks }) => chunks),
    tokens: sum(({ tokens }) => tokens.embedded),
    reusable: sum(({ reusable }) => reusable.chunks),
    ...whole('cost', ({ cost }) => cost),
    ...whole('seconds', ({ time }) => time?.seconds),
    bytes: {
      vectors: sum(({ bytes }) => bytes.vectors),
      ...whole('memory', ({ bytes }) => bytes.memory),
      ...whole('disk', ({ bytes }) => bytes.disk),
    },
  };
};
