import { createRequire } from "node:module"
import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"

/** The page's policy forbids scripts of others: the browser's debugger runs it. */
const axeSource = (): string =>
  readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** What axe-core finds on a page by all of its rules, or by some: each rule with the first elements that break it. */
export const barriersOn = async (
  page: Page,
  rules?: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axeSource())
  const options = { resultTypes: ["violations"], ...(rules === undefined ? {} : { runOnly: rules }) }
  const found = await page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | "))
  )`)
  return found as ReadonlyArray<string>
}
