import { runConformance } from "./conformance/runConformance.ts"

/** Replays recorded rollouts: `npm run conformance -- FILE…`, files or folders of them. */
process.exitCode = await runConformance(process.argv.slice(2), {
  print: console.log,
  printError: console.error
})
