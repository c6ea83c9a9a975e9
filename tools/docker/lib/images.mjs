/** Rules for image names: a tag that names a release, and not one that moves. */
const MOVING = new Set(['latest', 'stable', 'edge', 'main', 'master', 'nightly', 'lts', 'current']);

/** @returns what is wrong with the name, or undefined */
export const imageFault = (image) => {
  if (typeof image !== 'string' || image === '') return 'the image is missing';
  if (image.includes('$')) return `image ${image}: a variable does not pin the version`;
  const [name] = image.split('@');
  const tag = /:([^/:]+)$/.exec(name)?.[1];
  if (tag === undefined) return `image ${image} has no tag`;
  if (MOVING.has(tag)) return `image ${image}: the tag ${tag} moves`;
  // At least two numbers: `8` and `v3` move to another image every month.
  return /\d+\.\d+/.test(tag) ? undefined : `image ${image}: the tag ${tag} does not name a release`;
};
