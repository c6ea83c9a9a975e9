/** All steps that are required before the project runs; each does nothing if it was already done. */
import { buildProjects } from './build.mjs';
import { installDependencies } from './dependencies.mjs';
import { checkModels } from './models.mjs';

export const prepare = async () => {
  await installDependencies();
  checkModels();
  await buildProjects();
};
