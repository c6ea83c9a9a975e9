import { Corrupt, InvalidValue, Unavailable } from '@palimpsest/knowledge';
import { WorkerFault, type Fault } from './worker-protocol.ts';

/** The error of the domain that a fault stands for. */
export const errorOf = (fault: Fault): Error => {
  switch (fault.code) {
    case 'Corrupt':
      return new Corrupt(fault.message);
    case 'Unavailable':
      return new Unavailable(fault.message);
    case 'InvalidValue':
      return new InvalidValue(fault.field, fault.expected, fault.got);
  }
};

/** Where the code of the workers runs without a worker around it. */
export const inDomainErrors = <Result>(act: () => Result): Result => {
  try {
    return act();
  } catch (error) {
    throw error instanceof WorkerFault ? errorOf(error.fault) : error;
  }
};
