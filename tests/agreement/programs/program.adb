--  Packages, generics, tasks, tagged types, exceptions.
with Ada.Containers.Ordered_Maps;
with Ada.Containers.Vectors;
with Ada.Strings.Unbounded; use Ada.Strings.Unbounded;
with Ada.Text_IO;

procedure Program is

   package Numbers is new Ada.Containers.Vectors (Positive, Integer);
   package Names is new Ada.Containers.Ordered_Maps (Unbounded_String, Integer);

   package Shapes is
      type Shape is abstract tagged null record;
      function Area (S : Shape) return Float is abstract;
      type Square is new Shape with record
         Side : Float := 1.0;
      end record;
      overriding function Area (S : Square) return Float is (S.Side * S.Side);
   end Shapes;

   generic
      type Element is private;
      with function "<" (A, B : Element) return Boolean is <>;
   function Larger (A, B : Element) return Element;
   function Larger (A, B : Element) return Element is (if A < B then B else A);
   function Larger_Integer is new Larger (Integer);

   task type Worker is
      entry Start (From : Integer);
      entry Sum (Result : out Integer);
   end Worker;

   task body Worker is
      First, Total : Integer := 0;
   begin
      accept Start (From : Integer) do
         First := From;
      end Start;
      for I in First .. First + 1_000 loop
         Total := Larger_Integer (Total, Total + I mod 7);
      end loop;
      accept Sum (Result : out Integer) do
         Result := Total;
      end Sum;
   end Worker;

   procedure Fill (Map : in out Names.Map; List : in out Numbers.Vector) is
   begin
      for I in 1 .. 1_000 loop
         List.Append (I * I mod 97);
         Map.Include (To_Unbounded_String (Integer'Image (I mod 50)), I);
      end loop;
   end Fill;

   Map    : Names.Map;
   List   : Numbers.Vector;
   Part   : Worker;
   Total  : Integer;
   Tile   : Shapes.Square;
begin
   Part.Start (3);
   Fill (Map, List);
   Part.Sum (Total);
   for Position in Map.Iterate loop
      Total := Total + Names.Element (Position);
   end loop;
   Ada.Text_IO.Put_Line (Total'Image & List.Last_Element'Image & Shapes.Area (Shapes.Shape'Class (Tile))'Image);
   Total := List (Total + 1_000_000);
exception
   when Constraint_Error =>
      Ada.Text_IO.Put_Line ("no such number");
end Program;
