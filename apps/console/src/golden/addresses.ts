import type { SetName } from './use-golden.ts';

export const GOLDEN_PATH = '/golden-queries';

export const setPath = ({ scope, set }: SetName): string => `${GOLDEN_PATH}/sets/${encodeURIComponent(scope)}/${encodeURIComponent(set)}`;

/** What the page judges. All of it is in the address, so that the page can be reached from a search or a set. */
export type ToJudge = Readonly<{ query: string; scope?: string | undefined; set?: string | undefined }>;

export const judgePath = ({ query, scope, set }: ToJudge): string => {
  const parameters = new URLSearchParams({ ...(query === '' ? {} : { q: query }), ...(scope && { scope }), ...(set && { set }) });
  return `${GOLDEN_PATH}/judge?${parameters.toString()}`;
};

export const toJudgeIn = (parameters: URLSearchParams): ToJudge => ({
  query: parameters.get('q')?.trim() ?? '',
  scope: parameters.get('scope') ?? undefined,
  set: parameters.get('set') ?? undefined,
});
