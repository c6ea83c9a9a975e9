/** The OpenAPI document of the platform, from the contracts of its routes. */
import { inRoot } from '../setup/workspace.mjs';

export const openApi = async () => (await import(inRoot('libs/http/src/openapi/openapi-document.ts'))).openApiDocument();
