import { resolve } from "node:path"
import { chosenNames, parseBenchArguments } from "./benchArguments.ts"
import { checkoutAt } from "./checkout.ts"
import { measureAgainst } from "./measureAgainst.ts"
import { measureAlone } from "./measureAlone.ts"
import { measures } from "./measures.ts"
import { otherCheckout } from "./otherCheckout.ts"
import { printRuns } from "./takeInChild.ts"
import type { BenchArguments, TakeArguments } from "./benchArguments.ts"

/**
 * How fast Charthouse is, on this machine, alone or against another commit. Each measure has processes of its own.
 *
 *   npm run bench -- [--json] [--runs 5] [--only NAME] [--seeds 40] [--against COMMIT|FOLDER | --markdown]
 */
const here = resolve(import.meta.dirname, "../..")

const main = async (args: BenchArguments): Promise<void> => {
  const names = chosenNames(
    measures.map(({ lines }) => lines),
    args.only
  )
  const chosen = measures.flatMap((measure) => {
    const lines = measure.lines.filter((name) => names.includes(name))
    return lines.length === 0 ? [] : [{ measure, lines }]
  })
  const isMeasured =
    args.against === undefined
      ? await measureAlone(chosen, here, args)
      : await measureAgainst(chosen, here, otherCheckout(args.against), args)
  process.exitCode = isMeasured ? 0 : 1
}

/** One measure, in a process of its own. */
const takeHere = async ({ take, checkout, runs, seeds }: TakeArguments): Promise<void> => {
  const measure = measures.find(({ lines }) => lines.includes(take))
  if (measure === undefined) throw new Error(`nothing is measured under the name ${take}`)
  await printRuns(() => measure.take(checkoutAt(checkout), { seeds }), runs)
}

const invalidArgument = (error: unknown): never => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(2)
}

const parsed = (): BenchArguments | TakeArguments => {
  try {
    return parseBenchArguments(process.argv.slice(2))
  } catch (error) {
    return invalidArgument(error)
  }
}

const args = parsed()
if ("take" in args) await takeHere(args)
else await main(args).catch(invalidArgument)
