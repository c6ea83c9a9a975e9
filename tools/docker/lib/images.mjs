/** What an image's name has to look like: a tag that says which release, and not one that moves. */
const MOVING = new Set(['latest', 'stable', 'edge', 'main', 'master', 'nightly', 'lts', 'current']);

/** @returns what is wrong with it, or undefined */
export const imageFault = (image) => {
  if (typeof image !== 'string' || image === '') return 'has no image';
  if (image.includes('$')) return `image ${image}: a variable is no pin`;
  const [name] = image.split('@');
  const tag = /:([^/:]+)$/.exec(name)?.[1];
  if (tag === undefined) return `image ${image} has no tag`;
  if (MOVING.has(tag)) return `image ${image}: the tag ${tag} moves`;
  // Two numbers at least: `8` and `v3` are other images every month.
  return /\d+\.\d+/.test(tag) ? undefined : `image ${image}: the tag ${tag} names no release`;
};
