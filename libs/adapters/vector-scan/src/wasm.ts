// TypeScript declares WebAssembly only as part of the DOM types; these are the parts that a slab uses.

export type WasmMemory = Readonly<{ buffer: ArrayBuffer; grow(pages: number): number }>;

type WebAssemblyParts = Readonly<{
  Module: new (bytes: Uint8Array) => object;
  Memory: new (descriptor: Readonly<{ initial: number; maximum?: number }>) => WasmMemory;
  Instance: new (module: object, imports: Readonly<{ env: Readonly<Record<string, unknown>> }>) => Readonly<{ exports: unknown }>;
}>;

export const wasm = (globalThis as unknown as Readonly<{ WebAssembly: WebAssemblyParts }>).WebAssembly;
