import { spawnSync } from "node:child_process"
import { resolve } from "node:path"
import { benchUsage, chosenNames, InvalidArgument, parseBenchArguments } from "./benchArguments.ts"
import { checkoutAt } from "./checkout.ts"
import { measureAgainst } from "./measureAgainst.ts"
import { measureAlone } from "./measureAlone.ts"
import { measures } from "./measures.ts"
import { otherCheckout } from "./otherCheckout.ts"
import { printRuns } from "./measureInChild.ts"
import type { BenchArguments, TakeArguments } from "./benchArguments.ts"
import type { ChosenMeasure } from "./measure.ts"

const here = resolve(import.meta.dirname, "../..")

/** Validates all arguments before it builds the present sources and measures. */
const measureAll = async (args: BenchArguments): Promise<void> => {
  const chosen = chosenMeasures(args.only)
  const there = args.against === undefined ? undefined : otherCheckout(args.against)
  buildHere()
  const isMeasured =
    there === undefined
      ? await measureAlone(chosen, here, args)
      : await measureAgainst(chosen, here, there, args)
  process.exitCode = isMeasured ? 0 : 1
}

const chosenMeasures = (only: string | undefined): ReadonlyArray<ChosenMeasure> => {
  const names = chosenNames(
    measures.map(({ lines }) => lines),
    only
  )
  return measures.flatMap((measure) => {
    const lines = measure.lines.filter((name) => names.includes(name))
    return lines.length === 0 ? [] : [{ measure, lines }]
  })
}

/** The build prints to the standard error: the output may be for a program. */
const buildHere = (): void => {
  const { status } = spawnSync("npm run build", { cwd: here, shell: true, stdio: ["ignore", 2, 2] })
  if (status !== 0) throw new Error("npm run build failed")
}

const takeHere = async ({ take, checkout, runs }: TakeArguments): Promise<void> => {
  const measure = measures.find(({ lines }) => lines.includes(take))
  if (measure === undefined) throw new Error(`nothing is measured under the name ${take}`)
  await printRuns(() => measure.take(checkoutAt(checkout)), runs)
}

const main = async (): Promise<void> => {
  const args = parseBenchArguments(process.argv.slice(2))
  if (args === "help") process.stdout.write(benchUsage)
  else if ("take" in args) await takeHere(args)
  else await measureAll(args)
}

try {
  await main()
} catch (error) {
  if (!(error instanceof InvalidArgument)) throw error
  process.stderr.write(`${error.message}\n\n${benchUsage}`)
  process.exitCode = 2
}
