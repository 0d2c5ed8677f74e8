import { findGuard } from "../../../machines/guards/guard.ts"
import { guardNames } from "../../inspect/charts/chartNames.ts"
import type { AnyGuardArgs } from "../../../machines/guards/guard.ts"

/** What a guard compares, in numbers; a guard without a reason is described by its name. */
export const guardReasonText = (
  guard: unknown,
  guards: Readonly<Record<string, unknown>>,
  args: AnyGuardArgs
): string =>
  guardNames(guard)
    .map((name) => findGuard(guards, name)?.reason?.(args) ?? toWords(name))
    .join("; ")

/** `may scale down old` for `rollingUpdate.mayScaleDownOld`: a strategy's guards are registered under its name. */
const toWords = (name: string): string =>
  (name.split(".").at(-1) ?? name).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
