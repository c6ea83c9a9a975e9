import type { SwapTarget } from '@palimpsest/client';
import { UsageError } from '../failure.ts';

const WAYS = ['manual', 'gate', 'companion'] as const;
type Way = (typeof WAYS)[number];

/** How searches use the generation once it is built; without an option, they do so at once. @throws UsageError for more than one option */
export const cutoverOf = (options: Readonly<Partial<Record<Way, true | undefined>>>): Pick<SwapTarget, 'cutover'> => {
  const [cutover, ...others] = WAYS.filter((way) => options[way]);
  if (others.length > 0) throw new UsageError(`expected only one of ${[cutover, ...others].map((way) => `--${way}`).join(' and ')}`);
  return cutover === undefined ? {} : { cutover };
};
