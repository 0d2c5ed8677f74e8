import * as Effect from "effect/Effect"
import { badInput } from "./badInput.ts"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import type { BadInput } from "./badInput.ts"
import type { CustomStrategies } from "../../inspect/charts/customStrategies.ts"

export const noStrategies: CustomStrategies = { strategies: [], steering: [] }

export const loadStrategies = (file: string | undefined): Effect.Effect<CustomStrategies, BadInput> =>
  file === undefined
    ? Effect.succeed(noStrategies)
    : Effect.tryPromise({
        try: async () => {
          const { strategiesIn } = await import("../../inspect/charts/customStrategies.ts")
          return strategiesIn(await importModule(file))
        },
        catch: (error) => badInput(`${file}: ${systemErrorText(error)}`)
      })

const importModule = (file: string): Promise<unknown> =>
  import(pathToFileURL(resolve(file)).href).catch((cause: unknown) => {
    throw new Error(`it cannot be imported: ${systemErrorText(cause)}`)
  })

/** The allowed values of `spec.strategy.type`; undefined for only the built-in ones. */
export const customStrategyTypes = ({ strategies }: CustomStrategies) =>
  strategies.length === 0
    ? Effect.undefined
    : Effect.promise(async () => {
        const { strategyTypesWith } = await import("../../inspect/charts/customStrategies.ts")
        return strategyTypesWith(strategies)
      })
