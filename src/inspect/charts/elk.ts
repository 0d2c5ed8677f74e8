import type { LayoutEngine } from "./layout.ts"

const installed = () => import("elkjs")

/**
 * The Eclipse Layout Kernel, or undefined where it is not installed: it is large, and only drawing takes it. What it
 * has laid out is free of its licence.
 */
export const loadElk = async (load: typeof installed = installed): Promise<LayoutEngine | undefined> => {
  try {
    const { default: Elk } = await load()
    return new Elk.default()
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw cause
  }
}

const isMissing = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND"
