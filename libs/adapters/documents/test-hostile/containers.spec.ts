import { CONTAINER_KINDS } from '../test/hostile/all-kinds.ts';
import { describeHostileFiles } from '../test/hostile/hostile-suite.ts';

describeHostileFiles('containers', CONTAINER_KINDS);
