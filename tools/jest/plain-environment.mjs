/**
 * jest's environment for Node, but for how tests see globals. There, the global object is a proxy behind an interceptor: each `Math`,
 * `Map` or `Error` that a test or what it tests mentions is looked up through both, in 230 ns instead of 5, which was a good part of what
 * property tests took. A context of its own without either keeps files apart just as well.
 */
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

const { createContext } = vm;
const plainContext = () => createContext(vm.constants.DONT_CONTEXTIFY);

export default class PlainEnvironment extends TestEnvironment {
  constructor(config, context) {
    // The one place where it can be told: the constructor above makes the context, and hands it to nobody before it is furnished.
    vm.createContext = plainContext;
    try {
      super(config, context);
    } finally {
      vm.createContext = createContext;
    }
  }
}
