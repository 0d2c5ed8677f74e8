import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { jsonSyntaxError } from "../../../src/server/http/jsonSyntaxError.ts"

describe("jsonProblem", () => {
  it.each([
    { text: "", problem: "unexpected end of JSON input" },
    { text: '{"a": [1, ', problem: "unexpected end of JSON input" },
    { text: "{broken", problem: "invalid character 'b' looking for beginning of object key string" },
    { text: '{"a":1,}', problem: "invalid character '}' looking for beginning of object key string" },
    { text: "[1,]", problem: "invalid character ']' looking for beginning of value" },
    { text: '{"a" 1}', problem: "invalid character '1' after object key" },
    { text: '{"a":1 "b"}', problem: "invalid character '\"' after object key:value pair" },
    { text: "[1 2]", problem: "invalid character '2' after array element" },
    { text: "{} x", problem: "invalid character 'x' after top-level value" },
    { text: "'a'", problem: String.raw`invalid character '\'' looking for beginning of value` },
    { text: "nul!", problem: "invalid character '!' in literal null (expecting 'l')" },
    { text: "-a", problem: "invalid character 'a' in numeric literal" },
    { text: "1.e", problem: "invalid character 'e' after decimal point in numeric literal" },
    { text: "1e+x", problem: "invalid character 'x' in exponent of numeric literal" },
    { text: "01", problem: "invalid character '1' after top-level value" },
    { text: '"a\nb"', problem: String.raw`invalid character '\n' in string literal` },
    { text: String.raw`"\q"`, problem: "invalid character 'q' in string escape code" },
    {
      text: String.raw`"\u00g0"`,
      problem: String.raw`invalid character 'g' in \u hexadecimal character escape`
    }
  ])("$text", ({ text, problem }) => {
    expect(jsonSyntaxError(text)).toBe(problem)
  })

  const seed = 20_261_121
  const marks = ["{", "}", "[", "]", ",", ":", '"', "\\", "x", "0", "-", "e", ".", " ", "\n", "'"]

  it(`finds a mistake only in text that is not JSON, and never before its position (seed ${seed})`, () => {
    const texts = fc.tuple(fc.json(), fc.nat(), fc.constantFrom(...marks)).map(([json, place, mark]) => {
      const at = place % (json.length + 1)
      return json.slice(0, at) + mark + json.slice(at)
    })
    fc.assert(
      fc.property(texts, (text) => {
        const findsOne = jsonSyntaxError(text).startsWith("invalid character")
        if (isReadable(text)) expect(findsOne).toBe(false)
        // A text that jsonSyntaxError calls cut off can be continued: its prefix is cut off as well.
        else if (!findsOne) expect(jsonSyntaxError(text.slice(0, -1))).toBe("unexpected end of JSON input")
      }),
      { seed, numRuns: 2000 }
    )
  })
})

const isReadable = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
