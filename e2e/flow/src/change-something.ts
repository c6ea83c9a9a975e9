import type { SeededRandom } from '@palimpsest/e2e-support/seeded-random';

/** Changes a copy of a receipt at one place, 1,000 times. Returns the changes with which it still counts as valid. */
export const unnoticedChanges = (receipt: object, isValid: (changed: unknown) => boolean, random: SeededRandom): readonly string[] => {
  const unnoticed: string[] = [];
  for (let n = 0; n < 1_000; n++) {
    const changed = structuredClone(receipt) as Record<string, unknown>;
    const what = changeSomething(changed, random);
    if (isValid(changed)) unnoticed.push(what);
  }
  return unnoticed;
};

/** Changes, adds or removes one value, anywhere. Returns where. */
const changeSomething = (value: Record<string, unknown>, random: SeededRandom): string => {
  const places: [holder: Record<string, unknown>, key: string, path: string][] = [];
  const collect = (holder: Record<string, unknown>, path: string): void => {
    for (const key of Object.keys(holder)) {
      places.push([holder, key, `${path}.${key}`]);
      const child = holder[key];
      if (typeof child === 'object' && child !== null) collect(child as Record<string, unknown>, `${path}.${key}`);
    }
  };
  collect(value, '');
  const [holder, key, path] = random.oneOf(places);
  const chance = random.next();
  const old = holder[key];
  if (chance < 0.15) {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else Reflect.deleteProperty(holder, key);
    return `${path} removed`;
  }
  if (chance < 0.25 && !Array.isArray(holder)) {
    holder['more'] = 'value';
    return `${path} has a neighbour`;
  }
  if (typeof old === 'number') holder[key] = old + 1;
  else if (typeof old === 'string' && old !== '') {
    const at = Math.floor(random.between(0, old.length));
    holder[key] = `${old.slice(0, at)}${old[at] === 'a' ? 'b' : 'a'}${old.slice(at + 1)}`;
  } else holder[key] = 'value';
  return `${path} changed`;
};
