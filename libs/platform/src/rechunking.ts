import { timestamp, type System } from '@palimpsest/foundation';
import { RechunkDocument } from '@palimpsest/ingestion';

type Ports = Omit<ConstructorParameters<typeof RechunkDocument>[0], 'now'> & Readonly<{ system: System }>;

/** How a swap chunks documents again. Features do not import each other, so ingestion is passed to it as a port. */
export const rechunking = (ports: Ports): RechunkDocument => new RechunkDocument({ ...ports, now: () => timestamp(ports.system.clock) });
