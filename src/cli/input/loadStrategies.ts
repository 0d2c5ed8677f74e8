import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { strategiesIn, StrategiesRefused } from "../../inspect/charts/customStrategies.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"

export const loadStrategies = async (file: string): Promise<ReturnType<typeof strategiesIn>> => {
  const module: unknown = await import(pathToFileURL(resolve(file)).href).catch((cause: unknown) => {
    throw new StrategiesRefused(`${file}: it cannot be imported: ${systemErrorText(cause)}`)
  })
  try {
    return strategiesIn(module)
  } catch (error) {
    if (error instanceof StrategiesRefused) throw new StrategiesRefused(`${file}: ${error.message}`)
    throw error
  }
}
