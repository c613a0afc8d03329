/** Response curves, computed as in the engine, for drawing. */

export interface CurveValue {
  type: string;
  value?: number;
  in_min?: number;
  in_max?: number;
  min?: number;
  max?: number;
  curve_type?: string;
  intensity?: number;
}

/** Return the output of a curve (0 to 127) for an input (0 to 127). */
export function applyCurve(curve: CurveValue, input: number): number {
  if (curve.type === "Fixed") return curve.value ?? 100;
  if (curve.type === "PassThrough") return input;
  const { in_min = 0, in_max = 127, min = 0, max = 127 } = curve;
  const position = Math.min(1, Math.max(0, (input - in_min) / Math.max(1, in_max - in_min)));
  return min + applyBend(curve, position) * (max - min);
}

function applyBend(
  { type, curve_type = "exponential", intensity = 0.5 }: CurveValue,
  x: number,
): number {
  if (type !== "Curve" || intensity < 0.01) return x;
  const k = 6 * intensity;
  if (curve_type === "exponential") return Math.expm1(k * x) / Math.expm1(k);
  if (curve_type === "logarithmic") return Math.log1p(Math.expm1(k) * x) / k;
  return (logistic(2 * k * (x - 0.5)) - logistic(-k)) / (logistic(k) - logistic(-k));
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** Return the points of an SVG polyline that draws a curve in a 127 by 127 square. */
export function curveLine(curve: CurveValue): string {
  return Array.from(
    { length: 128 },
    (_, input) => `${input},${(127 - applyCurve(curve, input)).toFixed(2)}`,
  ).join(" ");
}
