import { spawnSync } from "node:child_process"
import { beginBuild, isBuilt } from "./built.ts"

/** Makes `dist` unless it is built of the present sources. `npm run build` calls it. */
const steps: ReadonlyArray<string> = [
  "node scripts/generate/main.ts",
  "node scripts/embedPage.ts",
  "tsc -p src",
  "node scripts/writeJsonSchema.ts",
  "node scripts/pack.ts"
]

const build = (): void => {
  const remember = beginBuild()
  for (const step of steps) {
    process.stdout.write(`> ${step}\n`)
    // npm has put the packages' commands on the PATH.
    const { status } = spawnSync(step, { shell: true, stdio: "inherit" })
    if (status !== 0) process.exit(status ?? 1)
  }
  remember()
}

if (isBuilt()) process.stdout.write("dist is built of just these sources\n")
else build()
