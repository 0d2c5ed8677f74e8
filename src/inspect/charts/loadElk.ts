import type elk from "elkjs"
import type { LayoutEngine } from "./elkGraph.ts"

interface ElkModule {
  readonly default: typeof elk
}

/** The name is a parameter: if it were a literal, bundlers would fail where the package is missing. */
const importElk = (name = "elkjs"): Promise<ElkModule> => import(/* @vite-ignore */ name)

/** Undefined if elkjs is not installed. Its licence, the EPL, does not extend to the layouts that it makes. */
export const loadElk = async (load: typeof importElk = importElk): Promise<LayoutEngine | undefined> => {
  try {
    const { default: Elk } = await load()
    // elkjs is a CommonJS module that sets `default`, hence twice.
    return new Elk.default()
  } catch (cause) {
    if (isModuleMissing(cause)) return undefined
    throw cause
  }
}

const isModuleMissing = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND"
