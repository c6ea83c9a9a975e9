import { forgetKey, keepKey, storedKey, type Place } from './stored-key.ts';

const aPlace = (hash = '', search = '') => {
  const kept = new Map<string, string>();
  const urls: string[] = [];
  const place: Place = {
    location: { hash, pathname: '/documents', search },
    history: { replaceState: (_data, _unused, url) => void urls.push(url) },
    sessionStorage: {
      getItem: (name) => kept.get(name) ?? null,
      setItem: (name, value) => void kept.set(name, value),
      removeItem: (name) => void kept.delete(name),
    },
  };
  return { place, urls };
};

describe('the key of a tab', () => {
  it('is removed from the address, which keeps everything else', () => {
    const { place, urls } = aPlace('#key=plk_abc', '?status=failed');
    expect(storedKey(place)).toBe('plk_abc');
    expect(urls).toEqual(['/documents?status=failed']);
  });
  it('is the stored one until it is forgotten, and leaves the address unchanged', () => {
    const { place, urls } = aPlace('#chunk-3');
    keepKey(place, 'plk_kept');
    expect(storedKey(place)).toBe('plk_kept');
    forgetKey(place);
    expect(storedKey(place)).toBeUndefined();
    expect(urls).toEqual([]);
  });
  it('in the address takes precedence over the stored one', () => {
    const { place } = aPlace('#key=plk_new');
    keepKey(place, 'plk_old');
    expect(storedKey(place)).toBe('plk_new');
  });
  it('is undefined when the address holds an empty one, which is removed anyway', () => {
    const { place, urls } = aPlace('#key=');
    expect(storedKey(place)).toBeUndefined();
    expect(urls).toEqual(['/documents']);
  });
});
