/** Everything that must be true before the project runs; each step does nothing when it is true already. */
import { buildProjects } from './build.mjs';
import { installDependencies } from './dependencies.mjs';
import { checkModels } from './models.mjs';

export const prepare = async () => {
  await installDependencies();
  checkModels();
  await buildProjects();
};
