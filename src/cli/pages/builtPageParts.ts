import { join } from "node:path"
import * as Effect from "effect/Effect"
import { badInput } from "../input/badInput.ts"
import { packageRoot } from "../../platform/packageRoot.ts"
import { readPageParts } from "../../reports/pageParts.ts"
import type { BadInput } from "../input/badInput.ts"
import type { PageParts } from "../../reports/pageParts.ts"

/** The page as the build made it. Fails if it is not built. */
export const builtPageParts: Effect.Effect<PageParts, BadInput> = Effect.suspend(() => {
  const root = packageRoot()
  const parts = readPageParts(join(root, "dist"))
  if (parts !== undefined) return Effect.succeed(parts)
  return Effect.fail(
    badInput(`the page that recordings are shown by has not been built: run npm run build in ${root}`)
  )
})
