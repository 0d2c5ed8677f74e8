import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"

const seedsMax = 100_000

/** `1000` is short for `1..1000`. */
const parseSeeds = (text: string): Option.Option<ReadonlyArray<number>> => {
  const [, first = "1", last = ""] = /^(?:(\d+)\.\.)?(\d+)$/.exec(text) ?? []
  const [begin, end] = [Number(first), last === "" ? 0 : Number(last)]
  const count = end - begin + 1
  return last !== "" && count > 0 && count <= seedsMax && Number.isSafeInteger(end)
    ? Option.some(Array.from({ length: count }, (_, index) => begin + index))
    : Option.none()
}

export const makeSeedsFlag = (description: string) =>
  Flag.String("seeds").pipe(
    Flag.withMetavar("N|A..B"),
    Flag.withDescription(description),
    Flag.filterMap(parseSeeds, () => `a number of seeds, 1 to ${seedsMax}, or a range like 1..1000`),
    Flag.optional
  )
