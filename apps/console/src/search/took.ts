import type { SearchResult } from '@palimpsest/client';
import { milliseconds } from '../format/format.ts';

/** How long a search took. Only operators receive timings. */
export const tookOf = ({ timings }: Pick<SearchResult, 'timings'>): string =>
  timings === undefined ? '' : ` in ${milliseconds(timings.totalMs)}`;
