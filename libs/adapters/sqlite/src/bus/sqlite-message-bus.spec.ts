import { describeMessageBus } from '@palimpsest/test-kit';
import { openBusUnderTest } from '../../test/bus-under-test.ts';

describeMessageBus('SqliteMessageBus', openBusUnderTest);
