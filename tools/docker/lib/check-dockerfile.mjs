/** Checks docker/Dockerfile and .dockerignore against package.json. One line for each finding. */
import { imageFault } from './images.mjs';

const MUST_BE_IGNORED = ['.git', '**/node_modules', '**/dist', '**/.env', '.palimpsest*'];

export const checkDockerfile = ({ text, ignore, manifest }) => {
  const lines = text.replaceAll('\\\n', ' ').split('\n');
  const stages = new Set([...text.matchAll(/^FROM \S+ AS (\w+)$/gim)].map(([, name]) => name));
  const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image).filter((image) => !stages.has(image));
  const wanted = manifest.devDependencies.node;
  const findings = bases.flatMap((image) => {
    const fault = imageFault(image);
    if (fault) return [fault];
    return image.startsWith(`node:${wanted}-`) && image.includes('slim') && !image.includes('alpine')
      ? []
      : [`${image} is not the slim Debian image of Node ${wanted}, which package.json pins`];
  });
  const final = text.slice(text.lastIndexOf('\nFROM '));
  const has = (pattern, finding) => (pattern.test(final) ? [] : [finding]);
  findings.push(
    ...has(/^USER [1-9]\d*(?::\d+)?$/m, 'the image does not run as a non-root user with a numeric id'),
    ...has(/^HEALTHCHECK .*CMD \["node", /m, 'the health check does not use node'),
    ...has(/^ENTRYPOINT \["node"\]$/m, 'the entry point is not node'),
    ...has(/^STOPSIGNAL SIGTERM$/m, 'the stop signal is not SIGTERM'),
  );
  if (/\b(?:curl|wget|apt-get install)\b/.test(lines.filter((line) => line.startsWith('RUN')).join('\n')))
    findings.push('software is installed or downloaded without npm');
  if (!/npm ci --ignore-scripts/.test(text)) findings.push('packages are not installed from the lock file without their scripts');
  const allowed = Object.keys(manifest.allowScripts)
    .filter((name) => manifest.allowScripts[name])
    .sort()
    .join(' ');
  const rebuilt = /npm rebuild ([^\n\\]+)/.exec(text)?.[1].trim().split(/\s+/).sort().join(' ');
  if (rebuilt !== allowed) findings.push(`runs the install scripts of ${rebuilt ?? 'no package'}; package.json allows ${allowed}`);
  const ignored = ignore.split('\n');
  for (const pattern of MUST_BE_IGNORED) if (!ignored.includes(pattern)) findings.push(`.dockerignore does not exclude ${pattern}`);
  return findings.map((finding) => `docker/Dockerfile: ${finding}`);
};
