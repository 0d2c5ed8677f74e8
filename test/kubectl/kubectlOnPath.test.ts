import { expect, it } from "vitest"
import { join } from "node:path"
import { writeFileSync } from "node:fs"
import { temporaryFolder } from "../cli/harness/kubeconfigs.ts"
import { findKubectlOnPath } from "../../scripts/kubectl.ts"

it.each([
  { minor: 31, isRun: false },
  { minor: 32, isRun: true },
  { minor: 36, isRun: true },
  { minor: 37, isRun: false }
])(
  "findKubectlOnPath returns a kubectl only if the output of its release is known: 1.$minor",
  async ({ minor, isRun }) => {
    const folder = temporaryFolder()
    const version = JSON.stringify({ clientVersion: { gitVersion: `v1.${minor}.0` } })
    writeFileSync(join(folder, "kubectl"), `#!/bin/sh\necho '${version}'\n`, { mode: 0o755 })
    expect((await findKubectlOnPath(folder))?.minor).toBe(isRun ? minor : undefined)
  }
)
