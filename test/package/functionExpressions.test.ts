import { rolldown } from "rolldown"
import { expect, it } from "vitest"
import { functionExpressions } from "../../scripts/functionExpressions.ts"

const packed = async (source: string): Promise<string> => {
  const entry = "entry.js"
  const files = { name: "files", resolveId: () => entry, load: () => source }
  const bundle = await rolldown({ input: entry, plugins: [files, functionExpressions] })
  const { output } = await bundle.generate({})
  return output[0].code
}

it.each([
  { arrow: "x => ({ v: x })", args: [1], result: { v: 1 } },
  {
    arrow: "async ({ a, b = () => 2 } = {}, ...c) => [a, b(), await c[0]]",
    args: [{}, 3],
    result: [undefined, 2, 3]
  },
  { arrow: `(sign = "=>") => sign`, args: [], result: "=>" },
  { arrow: "() => /x/.test('x')", args: [], result: true },
  { arrow: "x => y => x + y", args: [1], result: expect.any(Function) as unknown }
])(
  "an outermost arrow function is written as a function expression: $arrow",
  async ({ arrow, args, result }) => {
    const code = await packed(`export const f = ${arrow}`)
    expect(code).toMatch(/const f = (async )?function\(/)
    const { f } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      readonly f: (...args: ReadonlyArray<unknown>) => unknown
    }
    expect(await f(...args)).toEqual(result)
    expect(f.name).toBe("f")
  }
)

it.each(["() => arguments", "() => () => import.meta.url", "class { f = () => this }"])(
  "one that uses what is outside of it stays: %s",
  async (expression) => {
    expect(await packed(`export const f = ${expression}`)).not.toMatch(/function/)
  }
)
