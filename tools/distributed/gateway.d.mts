/** See gateway.mjs. */
export declare const startGateway: (replicasOf: (service: string) => readonly string[], port?: number) => Promise<{ url: string; close: () => Promise<void> }>;
