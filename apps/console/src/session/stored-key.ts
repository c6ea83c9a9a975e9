const NAME = 'palimpsest.key';

/** The parts of `window` that are used here, so that tests need no browser. */
export type Place = Readonly<{
  location: Readonly<{ hash: string; pathname: string; search: string }>;
  history: Readonly<{ replaceState: (data: unknown, unused: string, url: string) => void }>;
  sessionStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
}>;

/**
 * The key of this tab. A key in the address (`#key=…`, which a browser never sends to a server) is stored and removed
 * from the address bar, so that no bookmark, history entry or shared screen shows it.
 */
export const storedKey = ({ location, history, sessionStorage }: Place): string | undefined => {
  const given = new URLSearchParams(location.hash.slice(1)).get('key')?.trim();
  if (given !== undefined) history.replaceState(null, '', `${location.pathname}${location.search}`);
  if (given) sessionStorage.setItem(NAME, given);
  return sessionStorage.getItem(NAME) ?? undefined;
};

export const keepKey = ({ sessionStorage }: Pick<Place, 'sessionStorage'>, key: string): void => sessionStorage.setItem(NAME, key);
export const forgetKey = ({ sessionStorage }: Pick<Place, 'sessionStorage'>): void => sessionStorage.removeItem(NAME);
